/**
 * A bounded cache with a maximum age. Concurrent loads of a key are shared, and a drop takes effect at once.
 */
export type ExpiringCache<V> = {
  /** The value, unless it has expired. */
  peek(key: string): V | undefined
  /**
   * Runs `load` and caches its value. Concurrent calls with the same key and caller share one load.
   * @param caller calls share a load only when they have the same caller
   */
  load<R>(key: string, caller: string, load: () => Promise<Loaded<V, R>>): Promise<R>
  drop(key: string): void
  clear(): void
  size(): number
}

/** `keep` is null when the value must not be cached, such as a refusal. */
type Loaded<V, R> = { keep: V | null; value: R }

/**
 * A value's age counts from the start of its load. A load that a drop interrupts is not cached. So a read
 * after a change never returns a value from before it.
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
    const oldest = entries.size > entriesMax ? entries.keys().next().value : undefined
    if (oldest !== undefined) entries.delete(oldest)
  }

  const startLoad = async <R>(key: string, name: string, load: () => Promise<Loaded<V, R>>): Promise<R> => {
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
      return entry !== undefined && Math.abs(now() - entry.bornMs) <= ageMsMax ? entry.value : undefined
    },
    load: async <R>(key: string, caller: string, load: () => Promise<Loaded<V, R>>) => {
      const name = `${key} ${caller}`
      const underWay = loads.get(name)
      return underWay === undefined ? startLoad(key, name, load) : (await sameLoad<R>(underWay.loading)).value
    },
    drop: (key) => {
      entries.delete(key)
      // only the loads in progress: a few
      for (const [name, underWay] of loads) if (underWay.key === key) loads.delete(name)
    },
    clear: () => {
      entries.clear()
      loads.clear()
    },
    size: () => entries.size,
  }
}

/** Each cache has one loader, so a shared load returns the type that the caller expects. */
const sameLoad = <R>(loading: Promise<unknown>): Promise<{ value: R }> => loading as Promise<{ value: R }>
