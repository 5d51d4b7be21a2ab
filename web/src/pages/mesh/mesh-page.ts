import {
  noticeAdvice,
  type Ledger,
  type Mesh,
  type MeshAgent,
  type MeshPartition,
} from '@probe-mesh/contracts/mesh/mesh'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { exactTime, milliseconds, named, none, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { tag, type Wording } from '../../html/components/tag.ts'
import { regionMap, type MapRegion } from '../../charts/map/region-map.ts'
import { card, facts } from '../../html/components/card.ts'
import { regionLabel } from '../../html/components/region-marks.ts'
import { placeOf } from '../../html/components/region-places.ts'
import { shareBar } from './share-bar.ts'

type RegionRow = Mesh['regions'][number]
type Quarantine = Mesh['quarantines'][number]

const stateWords: Readonly<Record<MeshAgent['state'], Wording>> = {
  there: { tone: 'good', text: 'Online' },
  gone: { tone: 'bad', text: 'Offline' },
  unknown: { tone: 'silent', text: 'Unknown' },
}

/** What the account's ledger knows, where it could be read. */
export type MeshLedger = Pick<Ledger, 'regions' | 'lateness'> | null

/** @param ledger the account's part, which may be a notice that it could not be read */
export const meshPage = (mesh: Mesh, figures: MeshLedger, ledger: Html): Html => html`
  ${
    mesh.vantage === 'local' &&
    html`<p class="notice">All regions are measured from this machine. It cannot show distances.</p>`
  }
  ${mesh.notices.map(
    ({ text, since, what }) =>
      html`<p class="notice"><strong>${text}</strong> since ${exactTime(since)}. ${noticeAdvice[what]}</p>`,
  )}
  ${card({ id: 'map', title: 'Map' }, regionMap('Regions', mesh.regions.map(mapRegion)))}
  <div class="cards region-cards" data-live="regions">
    ${mesh.regions.map((region) => regionCard(region, figures))}
  </div>
  ${mesh.quarantines.length > 0 && quarantineCard(mesh)} ${ledger} ${internals(mesh)}
`

const mapRegion = (region: RegionRow): MapRegion => {
  const { tone, text } = regionWording(region)
  return { region: region.region, tone: tone === 'uncertain' ? 'silent' : tone, text }
}

const regionWording = ({ there, unknown, readAt, quarantined }: RegionRow): Wording => {
  if (quarantined) return { tone: 'uncertain', text: 'Quarantined' }
  if (there > 0) return stateWords.there
  if (readAt === null || unknown > 0) return stateWords.unknown
  return { tone: 'bad', text: 'No agent' }
}

/** Agents, delay and coverage of one region. */
const regionCard = (row: RegionRow, figures: MeshLedger): Html => {
  const { region, there, gone, unknown, heardAt } = row
  const own = figures?.regions.find((each) => each.region === region)
  const late = figures?.lateness.find((each) => each.region === region)
  const agents = [`${there} online`, gone > 0 && `${gone} offline`, unknown > 0 && `${unknown} unknown`]
  return card(
    {
      id: `region-${region}`,
      title: placeOf(region)?.name.split(',')[0] ?? region,
      about: regionLabel(region),
      actions: tag(regionWording(row)),
    },
    html`${facts([
      ['Agents', agents.filter((each) => each !== false).join(', ')],
      ['Last report', heardAt === null ? 'Never' : time(heardAt)],
      ['Start delay p95', milliseconds(late?.beganP95Ms ?? null)],
      ['Arrival delay p95', milliseconds(late?.arrivedP95Ms ?? null)],
      ['Measured', own === undefined || own.due === 0 ? none : shareBar(own)],
    ])}`,
  )
}

const quarantineCard = ({ quarantines }: Mesh): Html =>
  card(
    {
      id: 'quarantine',
      title: 'Quarantine',
      about: 'A region whose own network seems to fail has no vote until it is clean for 2 min.',
    },
    table('Quarantined regions, newest first', quarantineColumns, quarantines),
  )

/** For operators: agents and partitions. */
const internals = (mesh: Mesh): Html =>
  html`<details class="card" id="internals">
    <summary>Internals</summary>
    <p class="muted">Observed by one control plane since ${exactTime(mesh.watchedSince)}.</p>
    <h3>Agents</h3>
    ${
      mesh.agents.length === 0
        ? html`<p class="muted">No agent has reported yet.</p>`
        : table('Agents', agentColumns, mesh.agents)
    }
    ${mesh.agentsInAll > mesh.agents.length && html`<p class="muted">${mesh.agents.length} of ${mesh.agentsInAll} agents are listed.</p>`}
    <h3>Partitions</h3>
    ${table('Partitions', partitionColumns, mesh.partitions)}
  </details>`

const reported = (agent: MeshAgent, say: (report: NonNullable<MeshAgent['told']>) => Piece): Piece =>
  agent.told === null ? none : say(agent.told)

const agentColumns = [
  {
    heading: 'Agent',
    cell: ({ agent, version, chromium }: MeshAgent) =>
      html`${named(agent)} <span class="target">${named(version)}${chromium && ' · Chromium'}</span>`,
  },
  { heading: 'Region', cell: ({ region }: MeshAgent) => region },
  { heading: 'State', cell: ({ state }: MeshAgent) => tag(stateWords[state]) },
  { heading: 'Last report', cell: ({ heardAt }: MeshAgent) => time(heardAt) },
  {
    heading: 'Queued readings',
    cell: (agent: MeshAgent) => reported(agent, (report) => spoolWords(agent, report)),
  },
  {
    heading: 'Dropped since start',
    cell: (agent: MeshAgent) => reported(agent, ({ dropped }) => droppedWords(dropped)),
  },
  {
    heading: 'Late runs, last minute',
    cell: (agent: MeshAgent) =>
      reported(agent, ({ runs }) =>
        runs ? html`${runs.late} of ${runs.begun}, at most ${milliseconds(runs.lateMsMax)}` : none,
      ),
  },
  { heading: 'Started', cell: ({ startedAt }: MeshAgent) => time(startedAt) },
]

/** Of an agent that is offline, the last report is not its state of now. */
const spoolWords = ({ state }: MeshAgent, { spool, at }: NonNullable<MeshAgent['told']>): Piece => {
  if (!spool) return none
  return state === 'there'
    ? html`${spool.readings}, reported ${time(at)}`
    : html`unknown; ${spool.readings} in the last report at ${exactTime(at)}`
}

const reasonWords = {
  full: 'queue full',
  old: 'too old',
  damaged: 'damaged on disk',
  disk: 'disk not writable',
} as const

const droppedWords = (dropped: NonNullable<MeshAgent['told']>['dropped']): Piece => {
  if (!dropped) return none
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
      endedAt === null ? tag({ tone: 'uncertain', text: 'Active' }) : time(endedAt),
  },
  {
    heading: 'Evidence',
    cell: ({ hosts, failing }: Quarantine) => `${failing} of ${hosts} hosts failed only there`,
  },
]

const partitionColumns = [
  { heading: 'Partition', cell: ({ partition }: MeshPartition) => partition },
  {
    heading: 'Owner',
    cell: ({ owner }: MeshPartition) =>
      owner === null ? tag({ tone: 'bad', text: 'No owner: nothing is stored' }) : named(owner),
  },
  { heading: 'Since', cell: ({ takenAt }: MeshPartition) => time(takenAt) },
  { heading: 'Changes', cell: ({ epoch }: MeshPartition) => epoch, isNumber: true },
  {
    heading: 'Waiting messages',
    cell: ({ waiting }: MeshPartition) => waiting ?? none,
    isNumber: true,
  },
]
