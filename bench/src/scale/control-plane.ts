import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import type { CheckFacts } from '@probe-mesh/control-plane/mesh/ingest/directory'
import type { Ledger } from './ledger.ts'
import { fromMs } from './mesh.ts'
import type { Mesh } from './mesh.ts'
import { createOwner, noOwnerTotals } from './owner.ts'
import type { Owner, OwnerTotals } from './owner.ts'
import type { StageMeter } from './stages.ts'
import type { StateTable } from './state-table.ts'
import type { SimulatedStream } from './stream.ts'

/** How often its loops act (control-plane: assessor, ingest's writer), ms. */
const pace = { judge: 100, writeBehind: 300, ingest: 400, sweep: 1_000 } as const

/** The control planes, as far as one partition concerns them: one owns it, or none does. */
export type ControlPlane = {
  readonly totals: Readonly<OwnerTotals>
  /** What is due at an instant, Unix ms. */
  actAt(atMs: number): Promise<void>
  /** The owner dies: its batch is in the store, and nobody has heard of it. */
  die(): Promise<void>
  /** Another takes the partition. */
  succeed(): void
  /** Everything that came is stored and judged. */
  finish(): Promise<void>
}

export const createControlPlane = (options: {
  mesh: Mesh
  partition: number
  checkIds: readonly string[]
  stream: SimulatedStream
  table: StateTable
  ledger: Ledger
  meter: StageMeter
  now: () => number
  onStored: (agent: string, batch: number) => void
}): ControlPlane => {
  const { mesh, checkIds, ...more } = options
  const totals = noOwnerTotals()
  const { rawDays, hourDays } = tiersDefault.scale
  const facts = new Map<string, CheckFacts>(
    checkIds.map((id) => [id, { accountId: 'account', rawDays, hourDays }]),
  )
  const { intervalSeconds } = mesh
  const checks = checkIds.map((checkId) => ({
    checkId,
    accountId: 'account',
    name: 'a check',
    host: 'www.example.com',
    regions: [...mesh.regions],
    intervalSeconds,
  }))
  const take = (epoch: number): Owner => createOwner({ ...more, epoch, checks, facts, totals })
  let owner: Owner | null = take(1)
  return {
    totals,
    actAt: async (atMs) => {
      const isTurn = (everyMs: number) => (atMs - fromMs) % everyMs === 0
      if (isTurn(pace.judge)) owner?.judge()
      if (isTurn(pace.writeBehind)) owner?.writeBehind()
      if (isTurn(pace.ingest)) await owner?.ingest()
      if (isTurn(pace.sweep)) owner?.sweep()
    },
    die: async () => {
      await owner?.ingestAndDie()
      owner = null
    },
    succeed: () => {
      owner = take(2)
    },
    finish: async () => {
      owner?.judge()
      owner?.writeBehind()
      await owner?.ingest()
    },
  }
}
