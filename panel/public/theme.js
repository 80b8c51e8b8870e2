// Runs before the first paint, as a file because the content policy allows no inline script.
{
  const { dataset } = document.documentElement;
  if (localStorage.getItem('theme') === 'dark') dataset.mantineColorScheme = 'dark';
  // The empty frame of the dashboard, until the code and the answer of the guard are here.
  if (localStorage.getItem('token') !== null && location.pathname.startsWith('/dashboard')) {
    dataset.frame = localStorage.getItem('sidebar') === 'collapsed' ? 'collapsed' : 'expanded';
  }
}
