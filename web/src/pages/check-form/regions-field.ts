import { isPrivateRegion } from '@probe-mesh/contracts/reading/regions'
import type { FormState } from '../../html/components/form.ts'
import { attribute, flag, html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

/** Several boxes of one name stand in what is typed as one text. */
export const joinRegions = (regions: readonly string[]): string => regions.join(',')
export const splitRegions = (text: string | undefined): string[] =>
  (text ?? '').split(',').filter((region) => region !== '')

/** Where a check is measured from. @param live every region that there is; ticked ones are in `form` */
export const regionsField = (form: FormState, live: readonly string[]): Html => {
  const ticked = splitRegions(form.typed['regions']).filter((region) => !isPrivateRegion(region))
  // a region that is not live any more is shown, so that it can be unticked
  const offered = [...live, ...ticked.filter((region) => !live.includes(region))]
  const own = form.problems.filter(({ path }) => /^regions(\[|$)/.test(path))
  return html`<fieldset
    id="field-regions"
    ${attribute('aria-describedby', own.length > 0 ? 'field-regions-problem' : null)}
  >
    <legend>Regions</legend>
    <p class="hint">Ticking every one means every live region, also those that come later.</p>
    ${offered.map(
      (region) =>
        html`<p class="choice">
          <label
            ><input
              type="checkbox"
              name="regions"
              value="${region}"
              ${flag('checked', ticked.includes(region))}
            />${region}</label
          >
        </p> `,
    )}
    ${own.length > 0 && html`<p class="problem" id="field-regions-problem">${own.map(({ message }) => message).join('; ')}</p>`}
  </fieldset>`
}
