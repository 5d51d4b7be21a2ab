import type { MeshNotice } from '@probe-mesh/contracts/mesh/mesh'
import manifest from '../../package.json' with { type: 'json' }
import type { Sql } from '../stores/postgres/connect.ts'
import { findOpenQuarantines } from '../status/quarantine/quarantines-store.ts'
import { meshNotices, regionsHeard } from './mesh-notices.ts'
import type { MeshWatch } from './mesh-watch.ts'

/** The control plane's own. */
export const { version: ownVersion } = manifest

/** What the operator has to look at now, and the regions of which anything is known. */
export const seeNotices = async (capabilities: {
  sql: Sql
  watch: Pick<MeshWatch, 'regions'>
  now: () => number
}): Promise<{ notices: MeshNotice[]; heard: string[] }> => {
  const quarantines = await findOpenQuarantines(capabilities.sql)
  const nowMs = capabilities.now()
  const seen = capabilities.watch.regions()
  return {
    notices: meshNotices(seen, quarantines, { version: ownVersion, nowMs }),
    heard: regionsHeard(seen, nowMs),
  }
}
