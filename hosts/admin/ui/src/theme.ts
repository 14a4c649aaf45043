import { createTheme, type MantineThemeOverride } from '@mantine/core'
import type { RunTimeConfiguration } from './config.js'

const dialog = {
  // The header of a dialog is no banner of the page.
  attributes: { header: { role: 'presentation' } },
  styles: { title: { fontWeight: 650, fontSize: '1.15rem' } },
}

/** Lists open by a click, a letter or an arrow. One that opened by the focus would hide the error below its field, and open at each Tab. */
const list = { defaultProps: { openOnFocus: false } }

/** The look of all pages: the system's fonts, and colours with enough contrast in light and dark. */
export function themeOf({ primaryColor }: RunTimeConfiguration): MantineThemeOverride {
  return createTheme({
    primaryColor,
    primaryShade: { light: 7, dark: 8 },
    autoContrast: true,
    luminanceThreshold: 0.25,
    defaultRadius: 'md',
    fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
    headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.2rem' } } },
    respectReducedMotion: true,
    cursorType: 'pointer',
    components: {
      Modal: { defaultProps: dialog },
      Drawer: { defaultProps: dialog },
      Badge: { defaultProps: { tt: 'none' } },
      Select: list,
      MultiSelect: list,
      Autocomplete: list,
      TagsInput: list,
    },
  })
}
