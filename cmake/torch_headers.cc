// The translation unit whose precompiled header the others reuse (AzTorchPch.cmake).
