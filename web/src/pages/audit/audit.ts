import { limits } from '@probe-mesh/contracts/schema/limits'
import { refused } from '../outcome.ts'
import { get, type MemberRoute } from '../page-route.ts'
import { soughtAction } from './action-words.ts'
import { auditPage, entriesShown } from './audit-page.ts'

/** The audit log, in pages, with filters by action and actor. */
export const auditRoutes: readonly MemberRoute[] = [
  get('/dashboard/audit', async ({ ask, query }) => {
    const sought = (name: string): string => (query.get(name) ?? '').trim().slice(0, limits.nameCharactersMax)
    const [what, who, before] = [sought('what'), sought('who'), query.get('before')]
    // one more than shown, to know whether older ones exist
    const [answer, names] = await Promise.all([
      ask('listAudit', {
        query: {
          what: soughtAction(what),
          who,
          limit: entriesShown + 1,
          ...(before !== null && { before }),
        },
      }),
      ask('listPaletteEntries', {}),
    ])
    if (!answer.ok) return refused(answer)
    const main = auditPage(answer.value.entries, {
      what,
      who,
      isFirst: before === null,
      names: names.ok ? names.value : null,
    })
    const about = 'Every change of this account, newest first.'
    return { kind: 'page', title: 'Audit log', area: 'audit', about, main }
  }),
]
