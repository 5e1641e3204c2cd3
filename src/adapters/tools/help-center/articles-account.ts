import type { Article } from './article.ts';

/** Help with money, accounts, subscriptions and newsletters. */
export const accountArticles: readonly Article[] = [
  {
    id: 'invoices',
    title: 'Finding and downloading invoices',
    body: 'Every invoice is under "My account", "Invoices", from the moment your order is sent. You can look at it, download it as a PDF or have it sent by email again. To have the name or the tax number on an invoice corrected, choose "Correct" beside it.',
    topics:
      'bills bill invoice receipt find locate see check look get download copy print vat tax number accountant company name wrong month year purchase statement',
  },
  {
    id: 'payment-methods',
    title: 'Payment methods',
    body: 'We accept Visa, Mastercard, American Express, PayPal, Apple Pay, Google Pay and bank transfer, and payment in up to three instalments for orders above 100.00. What is possible for your order is shown at the checkout.',
    topics:
      'pay payment option method modality accept accepted allowed available card credit debit paypal klarna bank transfer instalment cash cheque which how',
  },
  {
    id: 'payment-problems',
    title: 'When a payment does not go through',
    body: 'Please check the card number, the expiry date and whether your bank asks you to confirm the payment in its app. If it is still refused, try another payment method or ask your bank. An amount that was reserved for a failed payment is released by the bank within a few days.',
    topics:
      'inform notify errors with payments online payments payment problem issue error trouble fail failed failure declined refused rejected bounced card transaction report online pay cannot unpaid pending checkout',
  },
  {
    id: 'charges',
    title: 'Charges you did not expect',
    body: 'If you were charged twice or too much, first look at your order: reserved amounts often show up beside the final charge and vanish within five days. If the amount is still wrong after that, choose "Question this charge" beside the invoice and we will check it within two working days.',
    topics:
      'charged charge twice double overcharged wrong amount extra higher than expected price statement bank debited deducted money taken billed unknown hidden fee explain total',
  },
  {
    id: 'update-payment-details',
    title: 'Updating your payment details',
    body: 'Open "My account", "Payment details" to add a card, to remove one or to choose which one is used first. Plans are charged to the first card in the list. We never show your full card number to anybody.',
    topics:
      'update change card credit debit bank details on file new number expired replace payment remove add save',
  },
  {
    id: 'create-account',
    title: 'Creating an account',
    body: 'Choose "Register" at the top of any page, enter your email address and a password, and confirm the email that we send you. An account is free. With it you see your orders and invoices, save addresses and collect points.',
    topics:
      'open create new account register registration sign up profile start free gold platinum premium pro standard customer make get another person',
  },
  {
    id: 'sign-up-problems',
    title: 'Problems with signing up',
    body: 'If the form reports that your email address is already registered, choose "Forgot password" instead. If the confirmation does not arrive, look into your spam folder and choose "Send again". If the form shows an error, please try another browser and then write to us what it says.',
    topics:
      'registration register sign up signup error problem issue report inform notify trouble create user account form rejects confirmation email already registered help',
  },
  {
    id: 'reset-password',
    title: 'Resetting your password',
    body: 'Choose "Forgot password" on the sign-in page and enter your email address. We send you a link that is valid for one hour; please look into your spam folder if you do not see it. Your PIN and other access codes are renewed on the same page.',
    topics:
      'accept password forgot forgotten lost recover reset retrieve restore change pin code key access passcode pass link user profile remember new set',
  },
  {
    id: 'sign-in-problems',
    title: 'When you cannot sign in',
    body: 'After five wrong passwords an account is locked for 30 minutes. If the verification code does not arrive, wait a minute and choose "Send again", or use one of your backup codes. If you think that somebody else has used your account, reset your password at once and tell us.',
    topics:
      'profile account get into log login sign signin locked out blocked suspended access cannot get verification code two factor authentication authenticator username unknown user email account',
  },
  {
    id: 'edit-account',
    title: 'Changing your account details',
    body: 'Open "My account", "Personal details" to change your name, email address, telephone number or date of birth. A new email address counts as soon as you have confirmed it by the link that we send there.',
    topics:
      'edit change update modify correct information details data profile user name surname email phone number birthday married personal account info',
  },
  {
    id: 'close-account',
    title: 'Closing your account',
    body: 'Open "My account", "Settings" and choose "Close account". Open orders are still delivered. Your details are deleted after 30 days, except for invoices, which the law makes us keep. Until then you can change your mind by signing in.',
    topics:
      'delete close cancel remove terminate deactivate account profile closure removal deletion cancellation termination user data',
  },
  {
    id: 'switch-account',
    title: 'Switching between account types',
    body: 'Under "My account", "Account type" you can move to another type at any time, for example from a standard to a premium or business account. Your orders and points move with you. To use several accounts, sign out and in again with the other email address, or ask us to merge them.',
    topics:
      'using profile switch change use account type upgrade downgrade standard free freemium gold platinum premium pro business profile another different user merge two',
  },
  {
    id: 'newsletter',
    title: 'Newsletter and marketing emails',
    body: 'You can subscribe to our newsletter at the bottom of every page, and end it by the "Unsubscribe" link in each issue or under "My account", "Messages". It takes up to two days until no further issue arrives. There you also see whether you are subscribed.',
    topics:
      'newsletter subscribe unsubscribe sign up cancel stop receive mailing list email emails marketing promotional offers opt out remove spam corporate company status inbox too many',
  },
  {
    id: 'plans-and-memberships',
    title: 'Changing, pausing or ending a subscription',
    body: 'Under "My plans" you can change a subscription or membership, skip a delivery, pause it for up to three months or end it. Changes count from the next billing day. You keep what you have paid for until then.',
    topics:
      'subscription membership plan cancel end stop pause freeze suspend skip upgrade downgrade change monthly yearly annual family basic subscriber box month trial member subscribe become',
  },
  {
    id: 'renewals',
    title: 'Renewals and free trials',
    body: 'A subscription renews by itself until you turn that off under "My plans", "Renewal". We remind you by email seven days before. A free trial becomes a paid plan on its last day unless you end it before.',
    topics:
      'renew renewal automatically auto renewed trial free ends end turn off subscription membership plan next date billing agree',
  },
];
