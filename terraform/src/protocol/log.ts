const logLevels = ['trace', 'debug', 'info', 'warn', 'error'] as const
type LogLevel = (typeof logLevels)[number]
export type Log = (level: LogLevel, message: string) => void

/** The lowest level that Terraform shows; by default it shows none, and errors are written. */
export const lowestLevel = (env: Readonly<Record<string, string | undefined>>): LogLevel => {
  const asked = (env['TF_LOG_PROVIDER'] ?? env['TF_LOG'] ?? '').toLowerCase()
  return asked === 'json' ? 'trace' : (logLevels.find((level) => level === asked) ?? 'error')
}

/**
 * Writes lines as Terraform reads them on a provider's stderr. It requires six digits of the second, and else
 * prints the raw line. A message never contains a configuration.
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
