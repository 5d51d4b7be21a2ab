import type { PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import { showName } from '../plan/show-value.ts'
import type { Look } from './look.ts'
import { duration } from './measures.ts'
import { tableLines } from './table.ts'
import type { Column } from './table.ts'
import { wrapWords } from './wrap-words.ts'

const columns: readonly Column[] = [
  { title: 'AGENT', min: 10 },
  { title: 'IS' },
  { title: 'SEEN', align: 'right', spare: 2 },
  { title: 'CHECKS', align: 'right', spare: 3 },
  { title: 'ID', spare: 1 },
]

const words: Readonly<Record<PrivateAgent['presence'], string>> = {
  never: 'not seen yet',
  present: 'there',
  away: 'silent',
  revoked: 'revoked',
}

/** The account's private agents, and since when each was not heard of. */
export const agentTable = (
  look: Look,
  agents: readonly PrivateAgent[],
  nowMs: number,
): string[] => {
  if (agents.length === 0) return wrapWords(look, 'There are no private agents on this account.')
  const seen = ({ lastSeenAt }: PrivateAgent): string =>
    lastSeenAt === null
      ? '-'
      : `${duration(Math.max(0, (nowMs - Date.parse(lastSeenAt)) / 1000))} ago`
  return tableLines(
    look,
    columns,
    agents.map((agent) => [
      showName(agent.name),
      words[agent.presence],
      seen(agent),
      String(agent.checks),
      agent.id,
    ]),
  )
}
