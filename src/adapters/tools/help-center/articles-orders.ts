import type { Article } from './article.ts';

/** Help with orders: placing, changing, cancelling, delivering and sending them back. */
export const orderArticles: readonly Article[] = [
  {
    id: 'place-an-order',
    title: 'Placing an order',
    body: 'Choose what you like, put it in the basket and go to the checkout. You can buy as a guest or with an account. Right after you have paid we send a confirmation by email; if it does not arrive within an hour, please look into your spam folder before ordering again.',
    topics:
      'shopping some something few several make an order make purchases earn catalogue desk buy purchase order shop acquire get product item article first time how checkout quantity several bulk',
  },
  {
    id: 'change-an-order',
    title: 'Changing an order',
    body: 'As long as an order is marked "processing" you can change it yourself: open it under "My orders" and choose "Edit". You can add or remove items and change sizes, colours and quantities. Once it is packed it can no longer be changed, but everything can be sent back free of charge.',
    topics:
      'order purchase editing changing modifying fabric flavour version instead correct put leave out take off modify edit amend alter update switch swap exchange replace add include remove delete item product article wrong size colour quantity mistake gift message combine',
  },
  {
    id: 'cancel-an-order',
    title: 'Cancelling an order',
    body: 'You can cancel an order free of charge until it is packed: open it under "My orders" and choose "Cancel". The money goes back to the way you paid within 5 working days. If the parcel is already on its way, refuse it at the door or send it back, and we will refund you.',
    topics:
      'order purchase stop revoke abort not go ahead rather not get rid of any more cancel cancellation call off stop annul revoke changed mind no longer want need withdraw purchase accident twice',
  },
  {
    id: 'cancellation-fees',
    title: 'Fees for cancelling',
    body: 'Cancelling an order never costs anything. A plan with a minimum term can be ended early for a fee of one monthly payment; without a minimum term there is no fee. The exact amount is shown before you confirm, under "My plans", "End plan".',
    topics:
      'cancellation fee charge cost penalty early termination exit withdrawal contract leave end terminate price',
  },
  {
    id: 'delivery-options',
    title: 'Delivery options and costs',
    body: 'Standard delivery is 3.90 and free from 50.00 upwards. Express delivery is 9.90 and arrives on the next working day when you order before noon. You can also have parcels brought to a pick-up point near you for 2.90. All options for your address are shown at the checkout.',
    topics:
      'methods available options shipment options companies dhl ups fedex shipping shipment postage delivery method option way courier carrier express next day saturday free cost price how much cheapest minimum pick up point collect locker',
  },
  {
    id: 'delivery-times',
    title: 'How long delivery takes',
    body: 'Standard delivery takes 2 to 4 working days within the country, 3 to 7 in the rest of Europe and 7 to 14 elsewhere. Express delivery takes one working day. The expected day is shown at the checkout and in the confirmation.',
    topics:
      'when will my item order gonna arrive how soon can i expect how many days until reach takes shipping time period duration how long soon fast arrive arrival expect package parcel item product shipment eta estimated when weekend holiday speed',
  },
  {
    id: 'delivery-countries',
    title: 'Countries we deliver to',
    body: 'We deliver to all of Europe, to North America, Japan, Australia and New Zealand. Choose your country at the checkout to see the cost and the time for it. For other countries please ask us before you order.',
    topics:
      'possible to order from ship to shipping to parcel send to post ship abroad overseas international worldwide country city canada usa america mexico europe uk ireland germany france spain italy japan australia order from deliver send place region island',
  },
  {
    id: 'customs',
    title: 'Customs and import duties',
    body: 'For deliveries outside the European Union, customs duties and import taxes may be due. They are shown at the checkout and paid together with your order, so that nothing is left to pay at the door.',
    topics: 'customs import duty duties tax taxes stuck held outside switzerland norway abroad',
  },
  {
    id: 'change-delivery-address',
    title: 'Changing the delivery address',
    body: 'Until an order is packed you can correct its delivery address under "My orders", "Edit address". After that the carrier can often still redirect the parcel: use the link in the shipping email. To change the address for all further orders, edit it under "My account", "Addresses".',
    topics:
      'apartment number flat number information about address change shipping address wrong moved house new flat street postcode zip modify correct update edit mistake typo redirect',
  },
  {
    id: 'add-delivery-address',
    title: 'Adding a delivery address',
    body: 'You can keep as many delivery addresses as you like: open "My account", "Addresses" and choose "Add address". At the checkout you then pick one of them. If the form refuses an address, leave out special characters and check the postcode.',
    topics:
      'set up setting enter submit add another second secondary different new shipping address save not valid office neighbour',
  },
  {
    id: 'receiving-parcels',
    title: 'Receiving your parcel',
    body: 'You can tell the carrier where to leave your parcel: with a neighbour, in a safe place or at a pick-up point. Use the link in the shipping email to choose, or to have it brought on another day.',
    topics:
      'neighbour safe place door driver leave reschedule another day holiday not at home signature time slot delivery parcel package',
  },
  {
    id: 'track-an-order',
    title: 'Tracking an order',
    body: 'As soon as your order leaves our warehouse you get an email with a tracking link. You can also see where it is under "My orders". If nothing has moved for three working days, send us your order number and we will ask the carrier.',
    topics:
      'track trace status where parcel package late delayed lost missing not arrived received tracking number eta progress update shipped',
  },
  {
    id: 'returns-and-refunds',
    title: 'Returns and refunds',
    body: 'You can return unused items within 30 days: print the free label under "My orders", "Return", and bring the parcel to any post office. We refund you within 5 to 10 working days after it has reached us, to the way you paid.',
    topics:
      'refund return money back reimburse reimbursement rebate compensation send back label policy exchange',
  },
  {
    id: 'damaged-wrong-missing',
    title: 'Damaged, wrong or missing items',
    body: 'We are sorry if something arrived broken, is not what you ordered or is missing from the parcel. Choose "Report a problem" under "My orders" and add a photo if you can. We send a replacement or refund you in full, and you do not have to pay for sending anything back.',
    topics:
      'damaged broken defective faulty cracked torn scratched wrong item missing piece part incomplete mouldy expired used different arrived smashed quality complaint',
  },
];
