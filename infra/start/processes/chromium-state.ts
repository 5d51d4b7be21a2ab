/** The states of Chromium in this process, for the metric and the doctor. */
export const chromiumStates = ['sandboxed', 'without_sandbox', 'off', 'none'] as const
export type ChromiumState = (typeof chromiumStates)[number]
export const chromiumFigure = 'probe_mesh_agent_chromium'
