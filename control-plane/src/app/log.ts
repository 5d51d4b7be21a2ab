import { currentWork } from '@probe-mesh/runtime/loop-watch'
import { hostname } from 'node:os'
import pino, { type DestinationStream, type Logger } from 'pino'
import { createRepeats } from './log-repeats.ts'

/** The program of a process. */
export type LoggingProgram = 'all-in-one' | 'control-plane' | 'agent' | 'mcp-gateway'

/**
 * Structured logs on standard error, one JSON object per line, without keys, passwords and cookies. Each line
 * names its program, host and process, and the request that it belongs to. No key stands twice in a line, and
 * a warning or error that repeats is one line with a count.
 * @param destination for tests
 */
export const createLog = (
  level: string,
  program: LoggingProgram = 'control-plane',
  destination: DestinationStream = pino.destination({ dest: 2, sync: false }),
): Logger => {
  const repeats = createRepeats()
  return pino(
    {
      level,
      base: { program, host: hostname(), pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: '[redacted]',
      },
      serializers: { err: serializeError },
      mixin: (fields) => {
        const requestId = currentWork()?.requestId
        return requestId === undefined || 'requestId' in fields ? {} : { requestId }
      },
      hooks: {
        logMethod(args, method, lineLevel) {
          const [first] = args as [unknown, ...unknown[]]
          if (typeof first === 'object' && first !== null && !(first instanceof Error)) {
            args[0] = withoutDoubles(first, this.bindings()) as never
          }
          repeats.write(args, lineLevel, (line) => method.apply(this, line as typeof args))
        },
      },
    },
    destination,
  )
}

/** The fields of a line without those of its logger: a parser keeps only the last of two equal keys. */
const withoutDoubles = (fields: object, bindings: object): object => {
  const doubles = Object.keys(fields).filter((key) => key in bindings)
  if (doubles.length === 0) return fields
  const own = Object.entries(fields).flatMap(([key, value]) => {
    if (!doubles.includes(key)) return [[key, value]]
    return Reflect.get(bindings, key) === value ? [] : [[`line_${key}`, value]]
  })
  return Object.fromEntries(own)
}

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
