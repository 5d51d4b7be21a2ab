/** Acts `count` times, on 0 to `count - 1`, with so many in flight: the next begins when one ends. */
export const runInFlight = async (
  count: number,
  inFlight: number,
  act: (n: number) => Promise<void>,
): Promise<void> => {
  let next = 0
  const work = async (): Promise<void> => {
    while (next < count) {
      next += 1
      await act(next - 1)
    }
  }
  await Promise.all(Array.from({ length: Math.min(count, inFlight) }, work))
}
