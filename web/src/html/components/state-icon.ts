import { html, type Html } from '@probe-mesh/runtime/html'
import { light } from './palette.ts'
import type { Wording } from './tag.ts'

export const stateTones = ['good', 'uncertain', 'bad', 'silent'] as const satisfies Wording['tone'][]

/** The path of the icon. The script of a tab changes it with the state, so its name has no hash. */
export const stateIconPath = (tone: Wording['tone']): string => `/assets/state/${tone}.svg`

const shapes: Readonly<Record<Wording['tone'], Html>> = {
  good: html`<circle cx="16" cy="16" r="14" fill="${light.good.mark}" />
    <path d="m10 16.5 4 4 8-9" fill="none" stroke="#fff" stroke-width="3" />`,
  uncertain: html`<path d="M16 2 31 29H1z" fill="${light.uncertain.mark}" />
    <path d="M16 11v9m0 3v3" stroke="#fff" stroke-width="3" />`,
  bad: html`<rect x="2" y="2" width="28" height="28" rx="5" fill="${light.bad.mark}" />
    <path d="m10 10 12 12m0-12L10 22" stroke="#fff" stroke-width="3" />`,
  silent: html`<circle
    cx="16"
    cy="16"
    r="12"
    fill="none"
    stroke="${light.silent.mark}"
    stroke-width="4"
    stroke-dasharray="5 4"
  />`,
}

/** A state as the icon of a tab: shape and colour. */
export const stateIcon = (tone: Wording['tone']): Html =>
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${shapes[tone]}</svg>`
