import { ledgerMinutes } from '@probe-mesh/contracts/mesh/mesh'
import { html } from '@probe-mesh/runtime/html'
import { time } from '../../html/measures.ts'
import { refused } from '../outcome.ts'
import { get, type MemberRoute } from '../page-route.ts'
import { numberOf } from '../paging.ts'
import { hoursCard } from './hours-card.ts'
import { ledgerSection } from './ledger-section.ts'
import { meshPage } from './mesh-page.ts'

/** Where checks are measured from, and whether all that was due was. */
export const meshRoutes: readonly MemberRoute[] = [
  get('/dashboard/mesh', async ({ ask, query }) => {
    const asked = Number(query.get('minutes'))
    const minutes = ledgerMinutes.find((each) => each === asked) ?? ledgerMinutes[0]
    const [mesh, hours, ledger] = await Promise.all([
      ask('getMesh', {}),
      ask('getLedgerHours', {}),
      ask('getLedger', { query: { minutes, page: numberOf(query.get('page')) } }),
    ])
    if (!mesh.ok) return refused(mesh)
    // what ClickHouse knows may be away while the rest is there
    const figures = ledger.ok ? ledger.value : null
    const main = meshPage(mesh.value, figures, html`${hoursCard(hours)} ${ledgerSection(ledger, minutes)}`)
    const about = html`Where checks are measured from. Read ${time(mesh.value.at)}.`
    return { kind: 'page', title: 'Regions', area: 'mesh', about, main }
  }),
]
