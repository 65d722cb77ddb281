// The translation unit whose precompiled header tests reuse (AzLibrary.cmake).
