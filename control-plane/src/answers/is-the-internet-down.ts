import type { InternetAnswer } from '@probe-mesh/contracts/answers'
import { describeInternet } from '../outage/describe-internet.ts'
import { evidenceOf, groundOf } from '../outage/evidence.ts'
import type { AnswersContext } from './context.ts'
import { namedProbes } from './named-probes.ts'
import { viewCatalog } from './plates.ts'
import { readAt } from './read-at.ts'

/** "Shared-infrastructure incident: ... distinct from any single service's status" (specification). */
export const isTheInternetDown = (context: AnswersContext): InternetAnswer => {
  const how = readAt(context)
  const { catalog, observed, publicUrl } = context
  const { status, sharedIncident, summary } = describeInternet(
    observed.shared(),
    observed.services(),
    (slug) => catalog.probes.get(slug) ?? [],
  )
  const named = sharedIncident?.members.flatMap(({ probes }) => probes) ?? []
  return {
    status,
    sharedIncident,
    ...evidenceOf(groundOf(viewCatalog(context, how)), how),
    ...namedProbes([...catalog.probes.values()].flat(), named),
    url: `${publicUrl}/internet`,
    summary,
  }
}
