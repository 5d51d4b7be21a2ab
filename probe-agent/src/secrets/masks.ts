import { createMask, maskNothing, type Hidden, type Mask } from './mask.ts'

/** A value that no text of these hosts may show. */
export type HiddenFrom = Hidden & { mayGet(url: URL): boolean }

/**
 * The masks of one attempt. Each host's texts hide what that host got or may get, and nothing else: a host that never
 * saw a secret could otherwise find it by guessing, and watch which guesses are hidden.
 */
export type Masks = {
  /** For what the host of a URL says. */
  of(url: string): Mask
  /** A host is about to get this URL and these cookies, where a host before it may have written a secret. */
  sending(url: URL, cookie: string | null): void
}

export const noMasks: Masks = { of: () => maskNothing, sending: () => undefined }

export const createMasks = (hidden: readonly HiddenFrom[]): Masks => {
  if (hidden.length === 0) return noMasks
  const alone = hidden.map((each) => createMask([each]))
  /** Places in `hidden`, by origin. */
  const got = new Map<string, Set<number>>()
  const masks = new Map<string, Mask>()
  const placesOf = (url: URL): number[] =>
    hidden.flatMap(({ mayGet }, at) => (mayGet(url) || got.get(url.origin)?.has(at) ? [at] : []))
  return {
    of: (text) => {
      const url = URL.parse(text)
      const places = url === null ? [] : placesOf(url)
      const key = places.join()
      const mask = masks.get(key) ?? createMask(hidden.filter((_, at) => places.includes(at)))
      masks.set(key, mask)
      return mask
    },
    sending: (url, cookie) => {
      const known = placesOf(url)
      const text = `${url.href} ${cookie ?? ''}`
      for (const [at, mask] of alone.entries()) {
        if (known.includes(at) || mask.whole(text) === text) continue
        got.set(url.origin, (got.get(url.origin) ?? new Set()).add(at))
      }
    },
  }
}
