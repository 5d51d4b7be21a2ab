import type {
  NamedService,
  RecentIncidentsAnswer,
  ReportReceipt,
  ReportVolumeAnswer,
  ServiceStatusAnswer,
} from '@probe-mesh/contracts/answers'
import type { Region } from '@probe-mesh/contracts/regions'
import { framePage } from './frame.ts'
import { howRead } from './how-read.ts'
import { markup } from './markup.ts'
import { named } from './measures.ts'
import { outageSection } from './outage-section.ts'
import { regionTable } from './region-table.ts'
import { reportSection } from './report-section.ts'
import { lead, statusWords } from './tag.ts'

/**
 * One service of the catalog: what `is_service_down`, `get_regional_readings`, `get_report_volume`
 * and `list_recent_incidents` answer, and the form to report a problem.
 */
export const servicePage = (page: {
  service: NamedService
  status: ServiceStatusAnswer
  reports: ReportVolumeAnswer
  /** null: the time series cannot be read now. */
  incidents: RecentIncidentsAnswer | null
  /** The live regions. */
  regions: readonly Region[]
}): string => {
  const { service, status } = page
  return framePage({
    title: `Is ${service.name} down?`,
    description: status.summary,
    url: status.url,
    json: `/v1/public/services/${encodeURIComponent(service.slug)}/status`,
    main: markup`<h1>Is ${named(service.name)} down?</h1>
${lead(statusWords[status.status], status.summary)}
<section aria-labelledby="regions">
<h2 id="regions">Regions</h2>
${regionTable(status.regions)}
</section>
${outageSection(page.incidents)}
${reportSection(service, page.reports, page.regions)}
${howRead(status)}`,
  })
}

/** What became of a report that the form sent. */
export const receiptPage = (service: NamedService, receipt: ReportReceipt): string => {
  const heading = receipt.counted ? 'Your report was counted' : 'Your report was not counted'
  const reason = receipt.counted
    ? 'Thank you. The next one from your address on this service counts in a quarter of an hour.'
    : 'One report from the same address on the same service counts in a quarter of an hour, and one was counted already or no more can be taken now.'
  return framePage({
    title: heading,
    description: receipt.summary,
    main: markup`<h1>${heading}</h1>
<p>${reason}</p>
<p class="lead">${receipt.summary}</p>
<p><a href="/services/${encodeURIComponent(service.slug)}">Back to ${named(service.name)}</a></p>`,
  })
}
