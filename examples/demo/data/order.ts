// The common parts of workflows about an order.

/** The schema of an order number. */
export const orderNumber = {
  type: 'string',
  description: 'The number of the order, such as A-1234.',
  minLength: 1,
};

/** Looks the order of the input up. */
export const findOrder = {
  id: 'order',
  tool_name: 'demo_find_order',
  static_input: { order_id: '$input.order_id' },
};
