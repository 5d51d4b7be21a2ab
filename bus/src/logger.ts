/** The part of pino that the bus and the agent use: fields first, then a sentence. */
export type Logger = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Calls a handler of the bus. An exception is a bug of the handler: it is logged and harms no one else. */
export const callHandler = (log: Logger, call: () => void): void => {
  try {
    call()
  } catch (error) {
    log.error({ err: error }, 'a handler on the bus threw')
  }
}

export const silentLogger: Logger = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
