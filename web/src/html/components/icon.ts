import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import type { Assets } from '../document.ts'

/** Our names of the icons in use, with their names in Heroicons (outline, 24 px). */
export const iconFiles = {
  account: 'cog-6-tooth',
  agent: 'server',
  audit: 'clipboard-document-list',
  channel: 'paper-airplane',
  check: 'signal',
  error: 'bug-ant',
  incident: 'bolt',
  key: 'key',
  logout: 'arrow-right-start-on-rectangle',
  maintenance: 'wrench-screwdriver',
  menu: 'bars-3',
  mesh: 'globe-alt',
  notification: 'inbox-stack',
  rule: 'bell-alert',
  'status-page': 'window',
  subscriber: 'user-group',
} as const
export type IconName = keyof typeof iconFiles

/** A decoration: the text beside it, or the label of its button, says the same. */
export const icon = ({ icons }: Assets, name: IconName): Html =>
  html`<svg class="icon" aria-hidden="true"><use href="${icons}#${name}" /></svg>`

/** All icons in one SVG, as symbols. @param read the SVG of a file of Heroicons */
export const spriteOf = (read: (file: string) => string): Html =>
  html`<svg xmlns="http://www.w3.org/2000/svg">
    ${Object.entries(iconFiles).map(
      ([name, file]) =>
        html`<symbol
          id="${name}"
          viewBox="0 0 24 24"
          fill="none"
          stroke="currentColor"
          stroke-width="1.5"
          stroke-linecap="round"
          stroke-linejoin="round"
        >
          ${[...read(file).matchAll(/ d="([^"]+)"/g)].map(([, path = '']) => html`<path d="${path}" />`)}
        </symbol>`,
    )}
  </svg>`
