import type { Failure } from './outcome.ts'

/** Reader of a response's content: `onEnd` or `onFailure` is the last call. */
type ContentReader = {
  onData(data: Buffer): void
  onEnd(): void
  onFailure(failure: Failure): void
}

export type ContentRelay = ContentReader & {
  /** Delivers the buffered content, and all that follows. */
  read(reader: ContentReader): void
}

/**
 * Buffers content that arrives with the head until a reader is set; after the last call it ignores
 * further events.
 */
export const createContentRelay = (): ContentRelay => {
  let reader: ContentReader | null = null
  let held: ((reader: ContentReader) => void)[] = []
  let over = false
  const emit = (event: (reader: ContentReader) => void): void => {
    if (over) return
    if (reader === null) held.push(event)
    else event(reader)
  }
  const last = (event: (reader: ContentReader) => void): void => {
    emit(event)
    over = true
  }
  return {
    onData: (data) => emit((to) => to.onData(data)),
    onEnd: () => last((to) => to.onEnd()),
    onFailure: (failure) => last((to) => to.onFailure(failure)),
    read: (by) => {
      reader = by
      for (const event of held) event(by)
      held = []
    },
  }
}
