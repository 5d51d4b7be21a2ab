import type { RawEvent, RawException, RawFrame } from './raw-event.ts'

/** The exception that was thrown last: the one that nobody caught. */
export const thrownLast = (event: Pick<RawEvent, 'exceptions'>): RawException | undefined =>
  event.exceptions.at(-1)

/**
 * The stack that tells of an event: the exception's that was thrown last, or of the nearest cause that
 * has one, or the one that belongs to none.
 */
export const stackOf = (event: Pick<RawEvent, 'exceptions' | 'frames'>): RawFrame[] =>
  event.exceptions.findLast(({ frames }) => frames.length > 0)?.frames ?? event.frames

/** Where libraries and run times lie, of the platforms whose SDKs may leave `in_app` out. */
const foreign =
  /(?:^|[/\\])(?:node_modules|site-packages|dist-packages|vendor|gems)[/\\]|^(?:node:|internal\/|<|\[native|\/usr\/lib\/|native )/

/** Whether a file is a library's or a run time's, by where it lies. */
export const isForeign = (file: string): boolean => foreign.test(file)

/**
 * Whether a frame is the application's own. Where the SDK says so of any frame of the stack, only what it
 * says counts; where it says nothing, the file's place decides.
 */
export const isInApp = (frame: RawFrame, stack: readonly RawFrame[]): boolean => {
  if (frame.inApp !== null) return frame.inApp
  if (stack.some(({ inApp }) => inApp !== null)) return false
  return frame.file !== null && !isForeign(frame.file)
}
