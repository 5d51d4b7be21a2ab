/**
 * Closes what was opened last first, since it stands on the rest; all of it, whatever one of them
 * says. @throws AggregateError of what went wrong
 */
export const closeAll = async (closers: (() => void | Promise<void>)[]): Promise<void> => {
  const reasons: unknown[] = []
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
    try {
      await close()
    } catch (reason) {
      reasons.push(reason)
    }
  }
  if (reasons.length > 0) throw new AggregateError(reasons, reasons.map(String).join('\n'))
}
