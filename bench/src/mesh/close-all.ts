/** Closes what was opened last first, all of it, whatever one of them says. @throws what went wrong */
export const closeAll = async (closers: (() => Promise<void>)[]): Promise<void> => {
  const reasons: unknown[] = []
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
    await close().catch((reason: unknown) => reasons.push(reason))
  }
  if (reasons.length > 0) throw new AggregateError(reasons, reasons.map(String).join('\n'))
}
