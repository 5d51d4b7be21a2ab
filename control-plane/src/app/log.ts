import pino, { type Logger } from 'pino'

/** Structured logs on standard error, one JSON object per line, without keys, passwords and cookies. */
export const createLog = (level: string): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: '[redacted]',
      },
      serializers: { err: serializeError },
    },
    pino.destination({ dest: 2, sync: false }),
  )

const secretNames = [
  'authorization',
  'cookie',
  'password',
  'apiKey',
  'readKey',
  'freeKey',
  'secret',
  'token',
  '["set-cookie"]',
]

/** An error with its causes, without passwords of URLs in messages. */
const serializeError = (error: unknown): unknown => {
  const serialized = pino.stdSerializers.errWithCause(error as Error)
  return JSON.parse(JSON.stringify(serialized).replace(/(:\/\/[^:/\s"]+):[^@/\s"]+@/g, '$1:[redacted]@'))
}
