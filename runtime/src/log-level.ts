import { z } from 'zod'

/** `LOG_LEVEL` of every program. */
export const LogLevel = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
export type LogLevel = z.infer<typeof LogLevel>
