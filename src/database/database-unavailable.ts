/** There is no database to work with. The message tells the person what to do about it. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}
