import { noticeAdvice } from '@probe-mesh/contracts/mesh/mesh'
import type { Mesh, MeshAgent, MeshPartition } from '@probe-mesh/contracts/mesh/mesh'
import { html } from '@probe-mesh/runtime/html'
import type { Html, Piece } from '@probe-mesh/runtime/html'
import { exactTime, milliseconds, named, none, time } from '../../html/measures.ts'
import { onThisPage, partHeading } from '../../html/components/on-this-page.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import type { Wording } from '../../html/components/tag.ts'
import { meshParts } from './mesh-parts.ts'

type RegionRow = Mesh['regions'][number]
type Quarantine = Mesh['quarantines'][number]

const stateWords: Readonly<Record<MeshAgent['state'], Wording>> = {
  there: { tone: 'good', text: 'there' },
  gone: { tone: 'bad', text: 'gone' },
  unknown: { tone: 'silent', text: 'not known' },
}

/** @param ledger the account's part, which may say that it could not be read */
export const meshPage = (mesh: Mesh, ledger: Html): Html => html`
  ${onThisPage(meshParts)}
  <p>
    Read ${time(mesh.at)}, by one control plane, which has watched since ${exactTime(mesh.watchedSince)}.
    Agents that were gone before that are not known to it.
  </p>
  ${
    mesh.vantage === 'local' &&
    html`<p class="notice">
      Everything runs on one machine here: it stands for every region, and no distance between regions is
      measured.
    </p>`
  }
  ${mesh.notices.map(
    ({ text, since, what }) =>
      html`<p class="notice"><strong>${text}</strong> since ${exactTime(since)}. ${noticeAdvice[what]}</p>`,
  )}
  ${partHeading(meshParts, 'regions')} ${table('Regions', regionColumns, mesh.regions)}
  ${partHeading(meshParts, 'agents')}
  <p>
    What an agent told is of the time that stands beside it: of one that is gone, nobody knows what waits on
    its disk now. Its readings are taken in when it comes back.
  </p>
  ${
    mesh.agents.length === 0
      ? html`<p>No agent has been seen.</p>`
      : table('Agents, and what each told last', agentColumns, mesh.agents)
  }
  ${
    mesh.agentsInAll > mesh.agents.length &&
    html`<p>${mesh.agents.length} of ${mesh.agentsInAll} agents are listed.</p>`
  }
  ${partHeading(meshParts, 'quarantine')}
  <p>
    A region in which an unlikely share of the catalog's hosts fails that answer elsewhere has no vote: its
    readings count as unmeasured until it was clean for two minutes. At most half of the regions lose their
    votes at once.
  </p>
  ${
    mesh.quarantines.length === 0
      ? html`<p>No region has been quarantined within what is kept.</p>`
      : table('Quarantined regions, newest first', quarantineColumns, mesh.quarantines)
  }
  ${ledger} ${partHeading(meshParts, 'ingest')}
  <p>
    Readings travel in ${mesh.partitions.length} partitions, each stored and judged by one control plane. How
    much waits is known only of those that the control plane which made this page has.
  </p>
  ${table('Partitions', partitionColumns, mesh.partitions)}
`

const regionTag = ({ there, unknown, readAt, quarantined }: RegionRow): Html => {
  if (quarantined) return tag({ tone: 'uncertain', text: 'quarantined' })
  if (there > 0) return tag({ tone: 'good', text: 'live' })
  if (readAt === null || unknown > 0) return tag(stateWords.unknown)
  return tag({ tone: 'bad', text: 'no agent' })
}

const regionColumns = [
  { heading: 'Region', cell: ({ region }: RegionRow) => region },
  { heading: 'State', cell: regionTag },
  { heading: 'Agents there', cell: ({ there }: RegionRow) => there, isNumber: true },
  { heading: 'Gone', cell: ({ gone }: RegionRow) => gone, isNumber: true },
  { heading: 'Not known', cell: ({ unknown }: RegionRow) => unknown, isNumber: true },
  { heading: 'Last heard', cell: ({ heardAt }: RegionRow) => orWords(heardAt, 'never') },
  { heading: 'Presence read', cell: ({ readAt }: RegionRow) => orWords(readAt, 'could not be') },
]

const orWords = (instant: string | null, words: string): Piece => (instant === null ? words : time(instant))

const told = (agent: MeshAgent, say: (report: NonNullable<MeshAgent['told']>) => Piece): Piece =>
  agent.told === null ? 'not told' : say(agent.told)

const agentColumns = [
  { heading: 'Agent', cell: ({ agent, region }: MeshAgent) => html`${named(agent)}, ${region}` },
  { heading: 'State', cell: ({ state }: MeshAgent) => tag(stateWords[state]) },
  { heading: 'Last heard', cell: ({ heardAt }: MeshAgent) => time(heardAt) },
  {
    heading: 'Readings waiting on its disk',
    cell: (agent: MeshAgent) => told(agent, (report) => spoolWords(agent, report)),
  },
  {
    heading: 'Dropped since it started',
    cell: (agent: MeshAgent) => told(agent, ({ dropped }) => droppedWords(dropped)),
  },
  {
    heading: 'Runs begun late, of the last minute told',
    cell: (agent: MeshAgent) =>
      told(agent, ({ runs }) =>
        runs
          ? html`${runs.late} of ${runs.begun} over 1 s, at most ${milliseconds(runs.lateMsMax)}`
          : 'not told',
      ),
  },
  { heading: 'Version', cell: ({ version }: MeshAgent) => named(version) },
  { heading: 'Started', cell: ({ startedAt }: MeshAgent) => time(startedAt) },
  { heading: 'Chromium', cell: ({ chromium }: MeshAgent) => (chromium ? 'yes' : 'no') },
]

/** Of an agent that is not there, what it told is no state of now. */
const spoolWords = ({ state }: MeshAgent, { spool, at }: NonNullable<MeshAgent['told']>): Piece => {
  if (!spool) return 'not told'
  return state === 'there'
    ? html`${spool.readings}, told ${time(at)}`
    : html`not known; ${spool.readings} when last told at ${exactTime(at)}`
}

const reasonWords = {
  full: 'its disk share was full',
  old: 'too old',
  damaged: 'damaged on disk',
  disk: 'the disk took nothing',
} as const

const droppedWords = (dropped: NonNullable<MeshAgent['told']>['dropped']): Piece => {
  if (!dropped) return 'not told'
  const reasons = Object.entries(reasonWords).flatMap(([reason, words]) => {
    const count = dropped[reason as keyof typeof reasonWords]
    return count === 0 ? [] : `${count} ${words}`
  })
  return reasons.length === 0 ? 'none' : reasons.join(', ')
}

const quarantineColumns = [
  { heading: 'Region', cell: ({ region }: Quarantine) => region },
  { heading: 'Since', cell: ({ since }: Quarantine) => time(since) },
  {
    heading: 'Until',
    cell: ({ endedAt }: Quarantine) =>
      endedAt === null ? tag({ tone: 'uncertain', text: 'lasts' }) : time(endedAt),
  },
  {
    heading: 'Evidence when it began',
    cell: ({ hosts, failing }: Quarantine) => `${failing} of ${hosts} hosts failed in this region only`,
  },
]

const partitionColumns = [
  { heading: 'Partition', cell: ({ partition }: MeshPartition) => partition },
  {
    heading: 'Owner',
    cell: ({ owner }: MeshPartition) =>
      owner === null ? tag({ tone: 'bad', text: 'nobody: nothing of it is stored now' }) : named(owner),
  },
  { heading: 'Taken', cell: ({ takenAt }: MeshPartition) => time(takenAt) },
  { heading: 'Times taken', cell: ({ epoch }: MeshPartition) => epoch, isNumber: true },
  {
    heading: 'Messages not stored',
    cell: ({ waiting }: MeshPartition) => waiting ?? `${none} not known here`,
    isNumber: true,
  },
]
