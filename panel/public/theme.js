// Runs before the first paint, as a file because the content policy allows no inline script.
if (localStorage.getItem('theme') === 'dark') document.documentElement.dataset.mantineColorScheme = 'dark';
