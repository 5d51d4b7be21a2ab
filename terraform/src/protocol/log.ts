const logLevels = ['trace', 'debug', 'info', 'warn', 'error'] as const
type LogLevel = (typeof logLevels)[number]
export type Log = (level: LogLevel, message: string) => void

/** The least level that Terraform was asked to show; unasked it shows none, and a person sees errors. */
export const lowestLevel = (env: Readonly<Record<string, string | undefined>>): LogLevel => {
  const asked = (env['TF_LOG_PROVIDER'] ?? env['TF_LOG'] ?? '').toLowerCase()
  return asked === 'json' ? 'trace' : (logLevels.find((level) => level === asked) ?? 'error')
}

/**
 * Lines as Terraform reads them on a provider's stderr. Of the time it wants six digits of a second:
 * with any other number it prints the line itself. A message never holds a configuration.
 */
export const createLog = (options: {
  lowest: LogLevel
  module: string
  now: () => Date
  write: (line: string) => void
}): Log => {
  const from = logLevels.indexOf(options.lowest)
  return (level, message) => {
    if (logLevels.indexOf(level) < from) return
    const line = {
      '@level': level,
      '@message': message,
      '@module': options.module,
      '@timestamp': options.now().toISOString().replace('Z', '000Z'),
    }
    options.write(`${JSON.stringify(line)}\n`)
  }
}
