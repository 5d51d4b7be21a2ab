import { canariesDefault } from './run/connectivity.ts'
import type { Canary } from './run/connectivity.ts'

const canariesMax = 16

/**
 * `CANARIES`: `host:port` pairs that are never all away at once while the probe's network works;
 * `none` does without. Absent, well-known anycast addresses.
 */
export const parseCanaries = (
  text: string | undefined,
): { ok: true; canaries: readonly Canary[] } | { ok: false; problems: string[] } => {
  const value = text?.trim() ?? ''
  if (value === '') return { ok: true, canaries: canariesDefault }
  if (value === 'none') return { ok: true, canaries: [] }
  const parts = value.split(',').map((part) => part.trim())
  const canaries: Canary[] = []
  const problems: string[] = []
  if (parts.length > canariesMax) problems.push(`CANARIES takes at most ${canariesMax} addresses`)
  for (const part of parts) {
    const match = /^(?:\[([0-9a-fA-F:]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(part)
    const port = Number(match?.[3])
    if (match === null || port < 1 || port > 65_535) {
      problems.push(`CANARIES must be host:port pairs, or none; ${part} is neither`)
    } else canaries.push({ host: match[1] ?? match[2] ?? '', port })
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, canaries }
}
