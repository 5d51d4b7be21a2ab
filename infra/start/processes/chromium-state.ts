/** What browser checks of this process run in, as the figure and the doctor say it. */
export const chromiumStates = ['sandboxed', 'without_sandbox', 'off', 'none'] as const
export type ChromiumState = (typeof chromiumStates)[number]
export const chromiumFigure = 'probe_mesh_agent_chromium'
