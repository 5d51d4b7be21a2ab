type Close = () => Promise<void>

/** What the running test file opened, in order. */
const opened: Close[] = []

/**
 * Closes something after the last test of the file, before what was opened earlier.
 * @returns the close, for a test that needs it sooner; it works once
 */
export const closeWithFile = (close: Close): Close => {
  let closing: Promise<void> | null = null
  const once: Close = () => {
    const at = opened.indexOf(once)
    if (at >= 0) opened.splice(at, 1)
    closing ??= close()
    return closing
  }
  opened.push(once)
  return once
}

/** Runs after each test file. @throws AggregateError with what failed; the others are closed */
export const closeFile = async (): Promise<void> => {
  const failures: unknown[] = []
  for (let close = opened.at(-1); close !== undefined; close = opened.at(-1)) {
    await close().catch((error) => failures.push(error))
  }
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('\n'))
}
