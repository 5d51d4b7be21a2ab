import { isRecord, own } from '../raw/record.ts'

/** Events that a client dropped, by reason and category. */
type DiscardedEvents = { reason: string; category: string; quantity: number }

/** Kinds in one report. SDKs have about ten reasons and ten categories. */
const kindsMax = 100
/** Events of one kind in one report. No real client exceeds it. */
const quantityMax = 1_000_000

const word = /^[a-z][a-z0-9_]{0,39}$/

/**
 * Reads the parsed payload of an item `client_report`. Skips invalid entries, because no event depends on
 * them. Never throws.
 */
export const readClientReport = (payload: unknown): DiscardedEvents[] => {
  const entries = isRecord(payload) ? own(payload, 'discarded_events') : undefined
  const kinds = new Map<string, DiscardedEvents>()
  for (const entry of Array.isArray(entries) ? (entries as unknown[]) : []) {
    const read = discarded(entry)
    if (read === undefined) continue
    const kind = `${read.reason} ${read.category}`
    const known = kinds.get(kind)
    if (known === undefined && kinds.size === kindsMax) continue
    const quantity = Math.min((known?.quantity ?? 0) + read.quantity, quantityMax)
    kinds.set(kind, { ...read, quantity })
  }
  return [...kinds.values()]
}

const discarded = (entry: unknown): DiscardedEvents | undefined => {
  if (!isRecord(entry)) return undefined
  const reason = own(entry, 'reason')
  const category = own(entry, 'category')
  const quantity = own(entry, 'quantity')
  if (typeof reason !== 'string' || !word.test(reason)) return undefined
  if (typeof category !== 'string' || !word.test(category)) return undefined
  if (typeof quantity !== 'number' || !Number.isSafeInteger(quantity) || quantity < 1) {
    return undefined
  }
  return { reason, category, quantity }
}
