/** A typed client of the HTTP interface. */

export { type Client, createClient } from '../adapters/http/client.ts';
