import { oneOf } from './setting.ts'

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

/** `LOG_LEVEL` of all programs. */
export const logLevel = oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')
