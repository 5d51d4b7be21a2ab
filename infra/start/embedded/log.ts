/** What the embedded servers need of a logger; pino's satisfies it. */
export type Log = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

/** For throwaway servers, whose failures reach the caller as exceptions anyway. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {} }
