import type { InternetAnswer } from '@probe-mesh/contracts/outage/answers'
import { describeInternet } from '../describe-internet.ts'
import { evidenceOf, groundOf } from '../evidence.ts'
import type { AnswersContext } from './context.ts'
import { namedProbes } from './named-probes.ts'
import { viewCatalog } from './plates.ts'
import { readAt } from './read-at.ts'

/** Whether something that many services share is failing, apart from any single service (S-1404). */
export const isTheInternetDown = (context: AnswersContext): InternetAnswer => {
  const how = readAt(context)
  const { catalog, observed, publicUrl } = context
  const described = describeInternet(
    observed.shared(),
    observed.services(),
    how.vantage,
    (slug) => catalog.probes.get(slug) ?? [],
  )
  const { sharedIncident, vendorOutage } = described
  const evidence = [...(sharedIncident?.members ?? []), ...(vendorOutage?.members ?? [])]
  const named = evidence.flatMap(({ probes }) => probes)
  return {
    ...described,
    ...evidenceOf(groundOf(viewCatalog(context, how)), how),
    ...namedProbes([...catalog.probes.values()].flat(), named),
    url: `${publicUrl}/internet`,
  }
}
