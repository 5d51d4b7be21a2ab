import { dark, highContrastDark, highContrastLight, light, variablesOf } from '../html/palette.ts'

/** Of status pages: what their owners chose, and the strips of their days. */
export const statusStyle = `
.status { --accent: var(--link); max-width: 56rem; margin: 0 auto; padding: 1.5rem 1rem 3rem }
.status.light { color-scheme: light; ${variablesOf(light)} }
.status.dark { color-scheme: dark; ${variablesOf(dark)} }
.status.high_contrast { ${variablesOf(highContrastLight)} }
@media (prefers-color-scheme: dark) { .status.high_contrast { ${variablesOf(highContrastDark)} } }
.status.sans { font-family: Helvetica, Arial, sans-serif }
.status.serif { font-family: Georgia, serif }
.status.mono { font-family: ui-monospace, monospace }
.status > header { border-bottom: 3px solid var(--accent); margin-bottom: 1.5rem; padding-bottom: 1rem }
.status > header img { display: block; max-width: 16rem; max-height: 4rem; margin-bottom: .75rem }
.status > header h1 { margin: 0 }
.status nav ul, .status .plainly { list-style: none; padding: 0; margin: .5rem 0 }
.status nav ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem }
.status nav a { display: inline-block; padding: .25rem 0 }
.status summary { padding: .25rem 0 }
.status .state { font-size: 1.25rem; font-weight: 600; padding: .75rem 1rem; border-radius: .375rem; max-width: none; margin: 0 0 .5rem }
.status h3 { font-size: 1.0625rem; margin: 1.25rem 0 .25rem; overflow-wrap: anywhere }
.status .prose { white-space: pre-line; margin: .25rem 0 }
.status footer { border-top: 1px solid var(--line); margin-top: 2.5rem; padding-top: 1rem }
.strip { display: block; width: 100%; height: 2.25rem; margin: .25rem 0; fill: none }
.strip path { stroke-dasharray: 3 1 }
.strip .good { stroke: var(--good-mark); stroke-width: 32 }
.strip .uncertain { stroke: var(--uncertain-mark); stroke-width: 24 }
.strip .partly { stroke: var(--good-mark); stroke-width: 16 }
.strip .bad { stroke: var(--bad-mark); stroke-width: 10 }
.strip .silent { stroke: var(--silent-mark); stroke-width: 3 }
.days { position: relative; display: flow-root }
.day-bars { position: absolute; inset: .25rem 0 auto; height: 2.25rem; display: flex }
.day-bars button { flex: 1 1 0; min-width: 0; min-height: 0; padding: 0; border: 0; border-radius: 0; background: none }
.day-bars button:hover, .day-bars [aria-expanded=true] { box-shadow: inset 0 0 0 1px var(--text) }
.day-bars :focus-visible { outline-offset: 0; z-index: 1 }
.day-panel [role=status]:not(:empty) { background: var(--raised); border-left: 3px solid var(--edge); padding: .5rem .75rem; margin: .5rem 0 0 }
.day-panel .actions { margin: .5rem 0 }
.day-panel [aria-disabled=true] { color: var(--muted) }
@media print { .day-bars, .day-panel { display: none } .strip path { stroke: #000 } }
`
