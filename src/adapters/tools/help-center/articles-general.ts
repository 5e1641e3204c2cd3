import type { Article } from './article.ts';

/** Help with technical trouble, complaints, feedback, and what people ask in general. */
export const generalArticles: readonly Article[] = [
  {
    id: 'website-and-app-problems',
    title: 'Problems with our website or app',
    body: 'Most problems go away when you reload the page or restart the app. If not, install the newest version, try another browser or turn off content blockers, and empty the cache. If it still does not work, tell us the device, the browser and the text of the error message.',
    topics:
      'basket filter mobile greyed out upload app website site page crash crashes error bug freeze freezes slow loading load blank screen down technical problem broken button checkout cart not working work issue browser android iphone update image video search link map notification install opens spinning nothing happens close',
  },
  {
    id: 'device-problems',
    title: 'When a product does not work',
    body: "Please charge the device fully, turn it off and on again, and install the newest version of its software. For trouble with Bluetooth or Wi-Fi, remove the connection on both sides and pair them anew. Most manuals are on the product's page. If nothing helps, the warranty covers it.",
    topics:
      'wifi disconnecting device product does not work stopped working turn on broken bluetooth wifi connect connection pair sync charge battery headphones speaker printer camera watch robot machine install setup set up manual instructions driver software reconnect leaks light sound error technical',
  },
  {
    id: 'warranty',
    title: 'Warranty and spare parts',
    body: 'All products have a warranty of two years against faults in material and making. Choose "Warranty" beside the item under "My orders" and describe the fault. Spare parts are listed on the product\'s page for at least five years.',
    topics: 'warranty guarantee repair spare part parts replacement fault years how long cover covered',
  },
  {
    id: 'complaints',
    title: 'Making a complaint',
    body: 'We are sorry that something went wrong. Please tell us what happened, when, and what would put it right, with the order number if there is one. A person reads every complaint and answers within two working days. If you are not content with the answer, you can ask for a review by the manager.',
    topics:
      'arrogant unfriendly disgrace rude ignored nobody answers called back promised late never came technician complaint complain claim file lodge reclamation grievance unhappy disappointed dissatisfied bad terrible awful rude staff driver employee service poor unacceptable worst angry experience company consumer against behaviour manager quality ignored promise',
  },
  {
    id: 'reviews',
    title: 'Reviewing a product or our service',
    body: 'You can review what you have bought under "My orders", "Write a review", with one to five stars and your own words. To tell us what you think of our service, use the "Feedback" button at the bottom of every page. We read everything.',
    topics:
      'leave review company brilliant delicious thoughts review feedback comment opinion rate rating stars testimonial leave write submit send post service product thank thanks great love happy compliment praise experience team helpful friendly wonderful excellent',
  },
  {
    id: 'suggestions',
    title: 'Suggestions and ideas',
    body: 'Good ideas often come from our customers. Send yours by the "Feedback" button at the bottom of every page. We cannot answer each of them, but the team that is responsible reads them all once a week.',
    topics:
      'suggestion suggest idea improve improvement feature request wish would be nice should add offer better feedback',
  },
  {
    id: 'opening-hours',
    title: 'Opening hours',
    body: 'Our shops are open Monday to Saturday from 9:00 to 19:00 and closed on Sundays and bank holidays. Our customer service answers every day from 8:00 to 20:00.',
    topics:
      'opening hours times open close closing today tomorrow sunday weekend holiday when shop store business until late',
  },
  {
    id: 'our-shops',
    title: 'Our shops',
    body: 'You find the shop nearest to you, with its address, parking and step-free access, under "Shops" at the bottom of every page. In each of them you can see products, collect orders and hand in returns. Dogs on a lead are welcome.',
    topics:
      'shop store branch location located address nearest where showroom visit parking wheelchair access accessible dogs come by collect in person city town',
  },
  {
    id: 'gift-cards',
    title: 'Gift cards and gift wrapping',
    body: 'Gift cards are sold from 10.00 to 250.00, by email or by post, and are valid for three years. Enter the code at the checkout to pay with one. Gift wrapping with a message of your own can be added to each item for 2.50.',
    topics: 'gift card voucher wrap wrapping present message buy sell code balance valid',
  },
  {
    id: 'discounts',
    title: 'Discounts, sales and points',
    body: 'Students, teachers and new customers get 10 % with a code from the "Offers" page. Sales are in January and July. With an account you collect one point for each 1.00 you spend; 100 points are worth 5.00. Codes cannot be combined. We match lower prices of other shops within 14 days.',
    topics:
      'discount coupon promo promotion code voucher sale offer deal student teacher points loyalty programme reward price match cheaper black friday new customer summer winter',
  },
  {
    id: 'availability',
    title: 'Availability of products',
    body: 'Each product\'s page shows whether it is in stock, in which sizes and colours, and in which shops. Choose "Tell me" there to get an email as soon as something sold out is back. New collections come in March and September.',
    topics:
      'stock available availability sold out back restock again when product size colour sell have do you green blue new collection brand brands carry left',
  },
  {
    id: 'product-details',
    title: 'Sizes, materials and care',
    body: 'Sizes, materials, origin, ingredients and care are on each product\'s page under "Details", with a table of sizes in centimetres. If you are between two sizes, the larger one usually fits better. For what you do not find there, ask us with the product\'s name.',
    topics:
      'size sizes fit tall material made of ingredients vegan allergens gluten wash washing clean care dishwasher safe waterproof compatible dimensions weight difference models suitable age cotton wool organic origin where used with for baby skin pieces',
  },
  {
    id: 'about-us',
    title: 'About us, jobs and sustainability',
    body: 'We are an independent shop with its own workshops. Open positions, how we choose our suppliers, and what we do for the environment are described under "About us". For press and partnership please use the form there.',
    topics:
      'company about job jobs career hiring work vacancy internship apply sustainability sustainable environment recycling recycle animals fair trade press founder owner who made where produced design designs',
  },
];
