import { right, wrong } from '@probe-mesh/runtime/setting'
import type { Kind } from '@probe-mesh/runtime/setting'
import type { Canary } from './run/connectivity.ts'

const canariesMax = 16

/** `CANARIES`: hosts that are never all unreachable while the probe's network works. */
export const canaryList: Kind<readonly Canary[]> = {
  form: `up to ${canariesMax} host:port with commas between, or none`,
  parse: (text) => {
    if (text === 'none') return right([])
    const parts = text.split(',').map((part) => part.trim())
    const canaries: Canary[] = []
    const problems: string[] = []
    if (parts.length > canariesMax) problems.push(`takes at most ${canariesMax} addresses`)
    for (const part of parts) {
      const match = /^(?:\[([0-9a-fA-F:]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(part)
      const port = Number(match?.[3])
      if (match === null || port < 1 || port > 65_535) {
        problems.push(`must be host:port pairs, or none; ${part} is neither`)
      } else canaries.push({ host: match[1] ?? match[2] ?? '', port })
    }
    return problems.length > 0 ? wrong(...problems) : right(canaries)
  },
}
