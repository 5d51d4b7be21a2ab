import type { RawEvent, RawException, RawFrame } from './raw-event.ts'

/** The last exception, which was not caught. */
export const thrownLast = (event: Pick<RawEvent, 'exceptions'>): RawException | undefined =>
  event.exceptions.at(-1)

/**
 * The main stack of an event: that of the last exception with frames, else the stack without an exception.
 */
export const stackOf = (event: Pick<RawEvent, 'exceptions' | 'frames'>): RawFrame[] =>
  event.exceptions.findLast(({ frames }) => frames.length > 0)?.frames ?? event.frames

/** Paths of libraries and runtimes, for SDKs that leave `in_app` out. */
const foreign =
  /(?:^|[/\\])(?:node_modules|site-packages|dist-packages|vendor|gems)[/\\]|^(?:node:|internal\/|<|\[native|\/usr\/lib\/|native )/

/** Whether a path belongs to a library or a runtime. */
export const isForeign = (file: string): boolean => foreign.test(file)

/**
 * Whether a frame is in-app. If the SDK marks any frame of the stack, only its marks count; otherwise the
 * path decides.
 */
export const isInApp = (frame: RawFrame, stack: readonly RawFrame[]): boolean => {
  if (frame.inApp !== null) return frame.inApp
  if (stack.some(({ inApp }) => inApp !== null)) return false
  return frame.file !== null && !isForeign(frame.file)
}
