export const checkFormStyle = `
fieldset { min-width: 0 }
.step { max-width: 40rem; margin: 1rem 0 }
#trial { scroll-margin-top: 1rem }
.step:target { border-color: var(--link) }
summary { cursor: pointer; font-weight: 600; min-height: 1.5rem; width: fit-content }
`
