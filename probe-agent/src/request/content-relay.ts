import type { Failure } from './outcome.ts'

/** Who reads a response's content: one of `onEnd` and `onFailure` is last. */
export type ContentReader = {
  onData(data: Buffer): void
  onEnd(): void
  onFailure(failure: Failure): void
}

export type ContentRelay = ContentReader & {
  /** Hands over what has come of the content, and all that comes. */
  read(reader: ContentReader): void
}

/** Holds what comes with the head until there is who reads it; after the last call nothing is told. */
export const createContentRelay = (): ContentRelay => {
  let reader: ContentReader | null = null
  let held: ((reader: ContentReader) => void)[] = []
  let over = false
  const tell = (event: (reader: ContentReader) => void): void => {
    if (over) return
    if (reader === null) held.push(event)
    else event(reader)
  }
  const last = (event: (reader: ContentReader) => void): void => {
    tell(event)
    over = true
  }
  return {
    onData: (data) => tell((to) => to.onData(data)),
    onEnd: () => last((to) => to.onEnd()),
    onFailure: (failure) => last((to) => to.onFailure(failure)),
    read: (by) => {
      reader = by
      for (const event of held) event(by)
      held = []
    },
  }
}
