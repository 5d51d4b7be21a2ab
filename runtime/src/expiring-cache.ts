/** Values by key for a short while: bounded, loaded once at a time, dropped at once on change. */
export type ExpiringCache<V> = {
  /** The value where it is still young enough. */
  peek(key: string): V | undefined
  /**
   * Runs `load`, once however many ask for the same at the same time, and keeps what it says.
   * @param asker who may share a load: what is loaded for one is not given to another
   */
  load<R>(key: string, asker: string, load: () => Promise<Loaded<V, R>>): Promise<R>
  drop(key: string): void
  clear(): void
  size(): number
}

/** `keep` is null for what must not be kept, such as a refusal. */
export type Loaded<V, R> = { keep: V | null; value: R }

/**
 * A value's age counts from before its load began, and a load that was under way during a drop is
 * not kept: nobody who asks after a change can be given what was read before it.
 */
export const createExpiringCache = <V>(options: {
  now: () => number
  ageMsMax: number
  entriesMax: number
}): ExpiringCache<V> => {
  const { now, ageMsMax, entriesMax } = options
  const entries = new Map<string, { value: V; bornMs: number }>()
  const loads = new Map<string, { key: string; loading: Promise<unknown> }>()

  const keep = (key: string, value: V, bornMs: number): void => {
    entries.delete(key)
    entries.set(key, { value, bornMs })
    const eldest = entries.size > entriesMax ? entries.keys().next().value : undefined
    if (eldest !== undefined) entries.delete(eldest)
  }

  const startLoad = async <R>(
    key: string,
    name: string,
    load: () => Promise<Loaded<V, R>>,
  ): Promise<R> => {
    const bornMs = now()
    const loading = load()
    const underWay = { key, loading }
    loads.set(name, underWay)
    try {
      const loaded = await loading
      if (loads.get(name) === underWay && loaded.keep !== null) keep(key, loaded.keep, bornMs)
      return loaded.value
    } finally {
      if (loads.get(name) === underWay) loads.delete(name)
    }
  }

  return {
    peek: (key) => {
      const entry = entries.get(key)
      return entry !== undefined && Math.abs(now() - entry.bornMs) <= ageMsMax
        ? entry.value
        : undefined
    },
    load: async <R>(key: string, asker: string, load: () => Promise<Loaded<V, R>>) => {
      const name = `${key} ${asker}`
      const underWay = loads.get(name)
      return underWay === undefined
        ? startLoad(key, name, load)
        : (await sameLoad<R>(underWay.loading)).value
    },
    drop: (key) => {
      entries.delete(key)
      // as many as are being loaded at this instant: a few
      for (const [name, underWay] of loads) if (underWay.key === key) loads.delete(name)
    },
    clear: () => {
      entries.clear()
      loads.clear()
    },
    size: () => entries.size,
  }
}

/** One cache is loaded in one way: whoever shares a load gets what it would have loaded itself. */
const sameLoad = <R>(loading: Promise<unknown>): Promise<{ value: R }> =>
  loading as Promise<{ value: R }>
