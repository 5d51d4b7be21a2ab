/**
 * Closes in reverse order, because later parts depend on earlier ones. Closes all even if one fails. @throws
 * AggregateError of the failures
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
