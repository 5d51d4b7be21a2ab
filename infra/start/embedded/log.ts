/** The logger of embedded servers. Pino's logger satisfies it. */
export type Log = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

/** For temporary servers, whose failures reach the caller as exceptions. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {} }
