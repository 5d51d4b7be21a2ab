import type { StoredReading } from '@probe-mesh/contracts/check/check'
import type { Trial } from '@probe-mesh/contracts/check/trial'
import { icon } from '../../html/components/icon.ts'
import { regionLabel } from '../../html/components/region-marks.ts'
import { tag } from '../../html/components/tag.ts'
import { milliseconds, none } from '../../html/measures.ts'
import { endOf, restOf, waterfall } from '../../charts/waterfall.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { verdictWords } from '../checks/verdict-words.ts'
import type { Offer } from './offers.ts'
import { exchangeView } from '../checks/exchange-view.ts'
import { detailsCard, newestOfRegions } from '../checks/details-card.ts'

/**
 * Tries the unsaved form: one reading per region. Each assertion from the answer has a button that adds it.
 * @param path of the form
 */
export const trialPanel = (path: string, trial: Trial | null, offers: readonly Offer[] = []): Html =>
  html`<section class="card" id="trial" tabindex="-1" aria-labelledby="trial-heading">
    <div class="card-head">
      <h2 id="trial-heading">Try it</h2>
      <div class="card-actions">
        <button type="submit" name="act" value="try" formnovalidate formaction="${path}#trial" data-inplace>
          ${icon('run')}${trial === null ? 'Try now' : 'Try again'}
        </button>
      </div>
    </div>
    ${trial === null ? html`<p class="muted">Measures once from each region and saves nothing. A step that sends data does send it.</p>` : trialResult(trial)}
    ${offers.length > 0 && offerButtons(path, offers)}
  </section>`

const offerButtons = (path: string, offers: readonly Offer[]): Html =>
  html`<div class="template-buttons offers" role="group" aria-label="Assertions by the answer">
    <input type="hidden" name="offers" value="${JSON.stringify(offers)}" />
    <span class="muted">Add assertion:</span>
    ${offers.map(
      ({ text }, index) =>
        html`<button
          class="small"
          type="submit"
          name="act"
          value="offer-${index}"
          formnovalidate
          formaction="${path}#trial"
          data-inplace
        >
          <bdi>${text}</bdi>
        </button> `,
    )}
  </div>`

const trialResult = ({ readings, unanswered, vantage, excerpt }: Trial): Html => {
  const rows = readings.map(({ region, timings, latencyMs, details }) => ({
    region,
    startMs: 0,
    timings,
    rest: restOf(details?.type ?? 'http', { timings, latencyMs }),
  }))
  return html`<ul class="trial-regions">
      ${readings.map((reading) => html`<li>${readingLine(reading)}</li>`)}
      ${unanswered.map((region) => html`<li>${regionLabel(region)} <span class="muted">no answer from the agent: nothing is known</span></li>`)}
    </ul>
    ${waterfall(
      rows.map(({ region, ...row }) => ({ label: regionLabel(region), ...row })),
      { title: 'Phases of the trial', firstHeading: 'Region', endMs: endOf(rows) },
    )}
    ${detailsCard(newestOfRegions(readings), [])}
    ${excerpt?.exchange !== undefined && exchangeView(excerpt.exchange)}
    <p class="muted small-print">
      Measured just now, not saved.${vantage === 'local' && ' All regions are measured from this machine.'}
    </p>`
}

const readingLine = ({ region, verdict, reason, httpStatus, latencyMs }: StoredReading): Html =>
  html`${regionLabel(region)} ${tag(verdictWords[verdict])}
    <span class="muted"
      >${httpStatus !== null && `${httpStatus} · `}${latencyMs === null ? none : milliseconds(latencyMs)}</span
    >
    ${reason !== null && html`<bdi class="reason">${reason}</bdi>`}`
