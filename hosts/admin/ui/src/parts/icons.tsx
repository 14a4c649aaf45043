/** Line icons on a grid of 24, drawn for this UI: a package of icons would be larger than the UI. */
const paths = {
  home: 'M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z',
  users:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c.5-4 3-6 6.500-6s6 2 6.500 6M16 4.500a3.500 3.500 0 0 1 0 6.500M18 14.500c2 .8 3.200 2.500 3.500 5.500',
  shield: 'M12 3 5 6v5c0 5 3 8.500 7 10 4-1.500 7-5 7-10V6zM9 12l2 2 4-4',
  grid: 'M4 4h16v16H4zM4 10h16M4 15h16M10 4v16M15 4v16',
  question:
    'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.7.300-1 .8-1 1.700M12 17v.01',
  tree: 'M12 3h0v5M6 21v-5h12v5M12 8v8M9 3h6v5H9zM3 16h6v5H3zM15 16h6v5h-6z',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c.6-4.500 3.500-7 8-7s7.400 2.500 8 7',
  search: 'M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM15.500 15.500 20 20',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6 6 18',
  dots: 'M12 5.500v.01M12 12v.01M12 18.500v.01',
  up: 'M12 19V5M6 11l6-6 6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  right: 'M9 5l7 7-7 7',
  columns: 'M4 5h16v14H4zM9.300 5v14M14.700 5v14',
  lock: 'M6 11h12v9H6zM8.500 11V7.500a3.500 3.500 0 0 1 7 0V11',
  key: 'M8 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 12h9v3M17 12v3',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  device: 'M4 5h16v11H4zM9 20h6M12 16v4',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.400 1.400M17.600 17.600 19 19M19 5l-1.400 1.400M6.400 17.600 5 19',
  moon: 'M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500z',
  globe:
    'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3.500 9h17M3.500 15h17M12 3c5 5.500 5 12.500 0 18M12 3c-5 5.500-5 12.500 0 18',
  exit: 'M14 4H5v16h9M10 12h11M17 8l4 4-4 4',
  check: 'M5 12.500 10 17.500 19.500 7',
  box: 'M4 8l8-4 8 4v9l-8 4-8-4zM4 8l8 4 8-4M12 12v9',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.500 2',
  gear: 'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM12 2.500v3M12 18.500v3M2.500 12h3M18.500 12h3M5.300 5.300l2.100 2.100M16.600 16.600l2.100 2.100M18.700 5.300l-2.100 2.100M7.400 16.600l-2.100 2.100',
  list: 'M8 6h12M8 12h12M8 18h12M4 6v.01M4 12v.01M4 18v.01',
  filter: 'M4 5h16l-6 7.500V19l-4-2v-4.500z',
  star: 'M12 3.500l2.600 5.300 5.900.9-4.300 4.100 1 5.800-5.200-2.700-5.200 2.700 1-5.800L3.500 9.700l5.900-.9z',
  building: 'M5 21V4h9v17M14 9h5v12M3 21h18M8 8h3M8 12h3M8 16h3',
  toggle: 'M8 7h8a5 5 0 0 1 0 10H8A5 5 0 0 1 8 7zM16 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  history: 'M4 12a8 8 0 1 0 2.500-5.800L4 8.500M4 4v4.500h4.500M12 8v4.500l3 1.500',
  mail: 'M3.500 6h17v12h-17zM3.500 7l8.500 6.500L20.500 7',
  download: 'M12 4v11M7 10.500l5 5 5-5M4.500 20h15',
  upload: 'M12 16V4.500M7 9.500l5-5 5 5M4.500 20h15',
  tag: 'M4 12V4h8l8 8-8 8zM8.500 8.500v.01',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l1.500 2h-15zM10 20.500h4',
  coins: 'M9 16a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM16 8.300a6 6 0 1 1-7.700 8.500',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  play: 'M7 4.500v15l12-7.500z',
  ship: 'M4 14h16l-2.500 5.500h-11zM6 14V9h12v5M9 9V6h6v3M12 6V3.500',
  file: 'M6 3.500h8l4 4v13H6zM14 3.500v4h4M9 12h6M9 16h6',
  flag: 'M12 4.500 21 19.500H3zM12 10v4.500M12 17v.01',
  pin: 'M12 21s6.500-6 6.500-11a6.500 6.500 0 0 0-13 0c0 5 6.500 11 6.500 11zM12 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  refresh: 'M20 11a8 8 0 0 0-14.500-3.500L4 9M4 4v5h5M4 13a8 8 0 0 0 14.500 3.500L20 15M20 20v-5h-5',
} as const

/** The name of an icon. */
export type IconName = keyof typeof paths

/** An icon beside a text, or in a button that has a label of its own: screen readers pass over it. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'dots' ? 3 : 1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
      style={{ flexShrink: 0 }}
    >
      <path d={paths[name]} />
    </svg>
  )
}
