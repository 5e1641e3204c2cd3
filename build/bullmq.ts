/** The part of BullMQ that the package has in itself: see `vendor.ts`. */
export { createNodeRedisClient, Queue, WaitingError, Worker } from 'bullmq';
