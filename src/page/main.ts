/** Purpose: the page. A placeholder until the simulation exists. */
document.title = 'cellstorm';
