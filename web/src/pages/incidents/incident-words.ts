import type { IncidentImpact, IncidentStatus } from '@probe-mesh/contracts/incident/incident'
import type { HeadlineLevel } from '@probe-mesh/contracts/status-page/headline'

/** The impact of an incident, in the words of the form. */
export const impactWords: Readonly<Record<IncidentImpact, string>> = {
  none: 'None',
  minor: 'Minor',
  major: 'Major',
  critical: 'Critical',
}

export const impactHints: Readonly<Record<IncidentImpact, string>> = {
  none: 'None: a notice, nothing is broken',
  minor: 'Minor: slow, or broken for a few',
  major: 'Major: parts do not work',
  critical: 'Critical: nothing works',
}

/** The minimum level of a page's banner while such an incident is open (S-1714). */
export const impactLevels: Readonly<Record<IncidentImpact, HeadlineLevel>> = {
  none: 'notice',
  minor: 'degraded',
  major: 'partial_outage',
  critical: 'major_outage',
}

/** A default text for each status, to be edited before posting. */
export const templates: Readonly<Record<IncidentStatus, string>> = {
  investigating: 'We are investigating reports of a problem. The next update follows within 30 minutes.',
  identified: 'We found the cause of the problem and are working on a fix.',
  monitoring: 'A fix is in place. We are watching the results.',
  resolved: 'The problem is fixed. All affected components work again.',
}

export const statusNames: Readonly<Record<IncidentStatus, string>> = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
}
